import { z } from '@hono/zod-openapi';

/** A check of one capability of the server's machine. */
export const doctorCheckSchema = z
  .object({
    id: z.string().openapi({ example: 'memory-limit' }),
    title: z.string(),
    status: z.enum(['enforced', 'partial', 'missing']),
    /** The consequence for services on this machine, as a sentence. */
    detail: z.string(),
    /** How to enable the capability; absent when nothing is missing. */
    remedy: z.string().optional(),
  })
  .openapi('DoctorCheck');

export type DoctorCheck = z.infer<typeof doctorCheckSchema>;

/** Id of the check that is present, as `missing`, only when the machine can't start services or builds. */
export const LAUNCH_CHECK = 'launch';

/** Response of `GET /v1/doctor`. */
export const doctorReportSchema = z.object({ checks: z.array(doctorCheckSchema) }).openapi('DoctorReport');

export type DoctorReport = z.infer<typeof doctorReportSchema>;
