import type { Api } from '../http/api.ts';
import { registerShowDoctor, type ShowDoctorDeps } from './routes/show-doctor.ts';

/** `/v1/doctor`. */
export function registerSystemRoutes(api: Api, deps: ShowDoctorDeps): void {
  registerShowDoctor(api, deps);
}
