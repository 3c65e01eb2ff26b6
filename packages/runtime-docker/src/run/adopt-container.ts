import { createError } from '@berth/contract';
import type { Container } from 'dockerode';
import { attachOutput } from './attach-output.ts';
import { createInstance, type DockerInstance } from './create-instance.ts';
import type { ImageSpec } from './plan-key.ts';
import { type ContainerParts, removeContainer } from './prepare-container.ts';
import { watchContainer } from './watch-container.ts';

/**
 * Adopts a container that an earlier server started. Its output from the time without a server is lost, which a line in its log says.
 * @throws what the engine throws, and BerthError `unavailable` when the container has ended. The container is removed then.
 */
export async function adoptContainer(
  spec: ImageSpec,
  container: Container,
  parts: ContainerParts,
): Promise<DockerInstance> {
  const { engine, networks } = parts;
  const discard = () => removeContainer(engine, container);
  try {
    const network = await networks.ensure(spec.owner.account);
    const { State } = await engine.call(() => container.inspect());
    if (State.Paused) await engine.call(() => container.unpause());
    const output = await engine.call(() => attachOutput(container, spec.output, parts));
    const { State: now, NetworkSettings } = await engine.call(() => container.inspect());
    const host = NetworkSettings.Networks[network]?.IPAddress;
    if (!now.Running || !host) {
      await output.finish(0);
      throw createError('unavailable', 'The container of an earlier server has ended.');
    }
    const ended = watchContainer(container, now.Pid, output, parts);
    const instance = createInstance({ spec, prepared: { container, discard }, parts, pid: now.Pid, ended, host });
    instance.note('the platform was restarted, and goes on with this instance; what it printed meanwhile is not here.');
    return instance;
  } catch (error) {
    await discard().catch(() => {});
    throw error;
  }
}
