import { unheldScenarios } from '../scenarios/daemon-set-unheld.ts'
import { tellDaemonSetStory } from './tell-daemon-set-story.ts'
import { tellWithLifeboat } from './tell-stories.ts'

tellWithLifeboat('unheld-daemon-sets', unheldScenarios, tellDaemonSetStory)
