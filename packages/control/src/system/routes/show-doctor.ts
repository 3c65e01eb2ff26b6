import { doctorReportSchema } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import type { Capability } from '@berth/runtime';
import type { Api } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';

const route = defineRoute(
  { scope: 'read' },
  {
    method: 'get',
    path: '/v1/doctor',
    operationId: 'showDoctor',
    tags: ['System'],
    summary: 'What this machine can isolate, limit and build',
    responses: { 200: jsonResponse(doctorReportSchema, 'One row for each thing that was looked at.') },
  },
);

export interface ShowDoctorDeps {
  /** Looks at the machine; may take a second. */
  capabilities(): Promise<readonly Capability[]>;
}

/** `GET /v1/doctor` [+]. */
export function registerShowDoctor(api: Api, { capabilities }: ShowDoctorDeps): void {
  api.openapi(route, async (c) => c.json({ checks: [...(await capabilities())] }, 200));
}
