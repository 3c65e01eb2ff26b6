import { createError } from '@berth/contract/errors';
import type { ServiceInstance } from '../instances/service-instance.ts';
import type { HeldInstance, HoldOptions } from '../port/gateway.ts';
import type { RevisionPool } from './revision-pool.ts';
import type { Service } from './service.ts';

/** As `GatewayControl.hold`, for a service of this gateway. */
export async function holdInstance(
  service: Service | undefined,
  deployment: string,
  { instance: wanted, signal }: HoldOptions,
): Promise<HeldInstance> {
  signal.throwIfAborted();
  if (!service?.current) throw createError('not_found', `"${deployment}" serves no revision yet.`);
  const [pool, holding] =
    wanted === undefined ? [service.current, service.current.holds.holdAny()] : hold(service, wanted);
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    const instance = await Promise.race([holding, aborted.promise]);
    let isHeld = true;
    return {
      instance: instance.id,
      revision: pool.target.revision,
      release() {
        if (isHeld) pool.holds.letGo(instance);
        isHeld = false;
      },
    };
  } catch (error) {
    // A start that goes on becomes an instance like any other.
    holding.then(
      (instance) => pool.holds.letGo(instance),
      () => {},
    );
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function hold({ deployment, pools }: Service, wanted: string): [RevisionPool, Promise<ServiceInstance>] {
  for (const pool of pools) {
    for (const instance of pool.fleet.all) {
      const isThere = instance.handle !== null && instance.state !== 'failed' && instance.state !== 'gone';
      if (instance.id === wanted && isThere) return [pool, pool.holds.hold(instance)];
    }
  }
  throw createError('not_found', `No instance ${wanted} of "${deployment}" runs on this server.`);
}
