import type { Volumes } from '../create-volumes.ts';
import type { SignedUrls } from '../signed-urls.ts';

/** Dependencies of the routes of volumes. */
export interface VolumeRouteDeps {
  readonly volumes: Volumes;
  readonly urls: SignedUrls;
}
