import { createError } from '@berth/contract';
import { engineMessage, engineStatus } from '../engine/engine-errors.ts';
import { missingImage } from './image-facts.ts';

/** Messages of engines and their OCI runtimes when the machine is full. */
const NO_ROOM =
  /no space left on device|cannot allocate memory|resource temporarily unavailable|too many open files|disk quota exceeded/i;
/** Messages of runc, tini and catatonit for a program that can't be executed. */
const NOT_EXECUTED =
  /executable file not found|no such file or directory|permission denied|exec format error|is a directory/i;

/** Translates an engine's error during a start into an error of the `Runtime` port. Returns all other errors unchanged. */
export function translateStartError(error: unknown): unknown {
  const status = engineStatus(error);
  if (status === undefined) return error;
  const said = engineMessage(error);
  if (status === 404 && /no such image/i.test(said)) return missingImage(error);
  if (NO_ROOM.test(said)) {
    return createError('out_of_capacity', `The Docker engine has no capacity for another instance: ${said}.`, {
      cause: error,
    });
  }
  const what = NOT_EXECUTED.test(said) ? 'The program could not be executed' : 'The Docker engine could not start it';
  return createError('start_failed', `${what}: ${said}.`, { cause: error });
}
