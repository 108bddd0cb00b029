import { evacuationAdmissionStories } from '../scenarios/evacuation-admission.ts'
import { evictTimeStories } from '../scenarios/evict-time.ts'
import { evictionStories } from '../scenarios/eviction-interception.ts'
import { cordonStories } from '../scenarios/maintenance-admission.ts'
import { podAnnotationStories } from '../scenarios/pod-annotations.ts'
import { tellExpected, titled } from '../scenarios/run-story.ts'
import { openEmbedded, openReal } from './admission-grounds.ts'
import { tellStories } from './tell-stories.ts'

tellStories({
  stories: {
    'evacuation-admission': titled(evacuationAdmissionStories),
    'pod-admission': titled(podAnnotationStories),
    'evict-time': titled(evictTimeStories),
    'eviction-interception': titled(evictionStories),
    'cordon-warnings': titled(cordonStories),
  },
  grounds: { embedded: openEmbedded, real: openReal },
  tell: tellExpected,
})
