import { daemonSetScenarios } from '../scenarios/daemon-set-evacuation.ts'
import { forgeryScenarios } from '../scenarios/daemon-set-forgery.ts'
import { tellDaemonSetStory } from './tell-daemon-set-story.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('daemon-sets', [...daemonSetScenarios, ...forgeryScenarios], tellDaemonSetStory)
