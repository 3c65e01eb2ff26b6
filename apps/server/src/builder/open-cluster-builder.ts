import path from 'node:path';
import type { Builder, SuppliedLibrary } from '@berth/builder';
import { createClusterBuilder, openKube, openRegistry } from '@berth/runtime-kubernetes';
import type { PartOptions } from '../context/part-options.ts';
import type { Machine } from '../machine/machine.ts';
import { buildNamespace } from '../machine/open-kubernetes-machine.ts';
import { imageBuildVariables } from './build-environment.ts';
import { findBundle } from './open-image-builder.ts';

/** Opens the builder that runs in Pods. @throws BerthError `unavailable` when the registry refuses its credentials */
export async function openClusterBuilder(
  {
    config,
    environment,
    workRoot,
    clock,
    logger,
  }: Pick<PartOptions, 'config' | 'environment' | 'clock' | 'logger'> & Pick<Machine, 'workRoot'>,
  common: { readonly archiveFolder: string; readonly library: SuppliedLibrary },
): Promise<Builder> {
  const { registryUsername: username, registryPassword: password } = config;
  const registry = openRegistry({
    url: config.registry as string,
    ...(username !== undefined && { credentials: { username, password: password ?? '' } }),
  });
  await registry.check();
  const variables = imageBuildVariables(environment, (name) =>
    logger.warn({ name }, 'builds do not get a variable with credentials; list it in --build-args to pass it'),
  );
  return createClusterBuilder({
    ...common,
    ...{ kube: openKube(), registry, clock, logger },
    policy: {
      platformId: config.kubePrefix,
      namespace: buildNamespace(config),
      image: config.builderImage as string,
      pushSecret: undefined,
      isPlain: registry.isPlain,
      runtimeClass: undefined,
      hasUserNamespaces: config.userNamespaces,
    },
    blockedRanges: config.blockedRanges,
    allowedRanges: config.registryNetworks,
    workFolder: path.join(workRoot, 'image-builds'),
    limits: { timeoutMs: config.buildTimeoutSeconds * 1_000 },
    images: config.baseImages,
    allowedImages: config.allowedImages,
    buildArgs: { ...variables, ...config.buildArgs },
    bundle: findBundle(config),
    platform: `linux/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  });
}
