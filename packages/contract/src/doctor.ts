import { z } from '@hono/zod-openapi';

/** One thing the server's machine can or can't isolate, limit or build. */
export const doctorCheckSchema = z
  .object({
    id: z.string().openapi({ example: 'memory-limit' }),
    title: z.string(),
    status: z.enum(['enforced', 'partial', 'missing']),
    /** What it means for the services of this machine, in a sentence. */
    detail: z.string(),
    /** How to get what is missing. */
    remedy: z.string().optional(),
  })
  .openapi('DoctorCheck');

export type DoctorCheck = z.infer<typeof doctorCheckSchema>;

/** Check that is only there, as `missing`, where the machine lets the server start no service and no build. */
export const LAUNCH_CHECK = 'launch';

/** `GET /v1/doctor`. */
export const doctorReportSchema = z.object({ checks: z.array(doctorCheckSchema) }).openapi('DoctorReport');

export type DoctorReport = z.infer<typeof doctorReportSchema>;
