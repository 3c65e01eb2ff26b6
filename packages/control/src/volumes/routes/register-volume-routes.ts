import type { Api } from '@berth/accounts';
import { registerCreateVolume } from './create-volume.ts';
import { registerDeleteObject } from './delete-object.ts';
import { registerDeleteVolume } from './delete-volume.ts';
import { registerDownload } from './download.ts';
import { registerListDeletedVolumes } from './list-deleted-volumes.ts';
import { registerListObjects } from './list-objects.ts';
import { registerListVolumes } from './list-volumes.ts';
import { registerMoveObject } from './move-object.ts';
import { registerRestoreVolume } from './restore-volume.ts';
import { registerUpload } from './upload.ts';
import type { VolumeRouteDeps } from './volume-route-deps.ts';

/** `/v1/volume/…`. */
export function registerVolumeRoutes(api: Api, deps: VolumeRouteDeps): void {
  registerCreateVolume(api, deps);
  registerListVolumes(api, deps);
  registerDeleteVolume(api, deps);
  registerRestoreVolume(api, deps);
  registerListDeletedVolumes(api, deps);
  registerListObjects(api, deps);
  registerUpload(api, deps);
  registerDownload(api, deps);
  registerMoveObject(api, deps);
  registerDeleteObject(api, deps);
}
