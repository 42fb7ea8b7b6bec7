import type { ReasonName } from './index.ts';

/** Words of the kubelet for a container that waits, and their reason. */
export const WAITING_WORDS: Readonly<Record<string, ReasonName>> = {
  ContainerCreating: 'creating',
  PodInitializing: 'initialising',
  CrashLoopBackOff: 'crash_loop',
  ErrImagePull: 'image_unreachable',
  ImagePullBackOff: 'image_unreachable',
  ErrImageNeverPull: 'image_not_found',
  InvalidImageName: 'image_not_found',
  CreateContainerConfigError: 'config_missing',
  CreateContainerError: 'config_missing',
};
