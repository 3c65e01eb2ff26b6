import { z } from 'zod';

/** The input field that names a service. */
export const serviceName = z.string().min(1).max(63).describe('Name of the service, e.g. "shop"');
