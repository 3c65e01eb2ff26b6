import type { Api } from '@berth/accounts';
import { registerShowDoctor, type ShowDoctorDeps } from './show-doctor.ts';

/** `/v1/doctor`. */
export function registerSystemRoutes(api: Api, deps: ShowDoctorDeps): void {
  registerShowDoctor(api, deps);
}
