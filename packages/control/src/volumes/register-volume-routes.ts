import type { Api } from '../http/api.ts';
import { registerCreateVolume } from './routes/create-volume.ts';
import { registerDeleteObject } from './routes/delete-object.ts';
import { registerDeleteVolume } from './routes/delete-volume.ts';
import { registerDownload } from './routes/download.ts';
import { registerListDeletedVolumes } from './routes/list-deleted-volumes.ts';
import { registerListObjects } from './routes/list-objects.ts';
import { registerListVolumes } from './routes/list-volumes.ts';
import { registerMoveObject } from './routes/move-object.ts';
import { registerRestoreVolume } from './routes/restore-volume.ts';
import { registerUpload } from './routes/upload.ts';
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
