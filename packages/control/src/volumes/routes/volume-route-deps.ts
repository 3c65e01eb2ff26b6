import type { Volumes } from '../create-volumes.ts';
import type { SignedUrls } from '../signed-urls.ts';

/** What the routes of volumes work with. */
export interface VolumeRouteDeps {
  readonly volumes: Volumes;
  readonly urls: SignedUrls;
}
