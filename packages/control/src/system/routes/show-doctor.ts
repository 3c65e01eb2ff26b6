import { defineOperation } from '@berth/accounts';
import { type DoctorCheck, doctorReportSchema, ISOLATION, sortChecks } from '@berth/contract';
import { jsonResponse } from '@berth/http';
import type { Capability } from '@berth/runtime';

/** Dependencies of {@link registerShowDoctor}. */
export interface ShowDoctorDeps {
  /** Checks the machine; may take a second. */
  capabilities(): Promise<readonly Capability[]>;
}

/** `GET /v1/doctor` [+]. */
export const registerShowDoctor = defineOperation(
  'GET /v1/doctor',
  {
    scope: 'read',
    operationId: 'showDoctor',
    tags: ['System'],
    summary: 'List what this platform can isolate, limit and build',
    description:
      "The operator's account gets details of the machine and how to fix what is missing; other accounts get the effect on them.",
    responses: { 200: jsonResponse(doctorReportSchema, 'Isolation first, by importance') },
  },
  async (c, { capabilities }: ShowDoctorDeps) => {
    const checks = sortChecks(await capabilities());
    return c.json({ checks: c.get('principal').isOperator ? checks : checks.flatMap(toTenantCheck) }, 200);
  },
);

const BUILDS: Readonly<Record<DoctorCheck['status'], string>> = {
  enforced: 'Available.',
  partial: 'Available with limits or reduced speed.',
  missing: 'Not available on this platform.',
};

/**
 * The version of a check that accounts may see. `detail` and `remedy` hold paths, versions and counts over all accounts, so
 * they are left out, and so is a check that is not listed here.
 */
function toTenantCheck({ id, title, status }: DoctorCheck): DoctorCheck[] {
  const requirement = ISOLATION.find((one) => one.id === id);
  if (requirement) {
    return [{ id, title, status, detail: status === 'enforced' ? requirement.enforced : requirement.otherwise }];
  }
  return id.startsWith('build-') ? [{ id, title, status, detail: BUILDS[status] }] : [];
}
