import path from 'node:path';
import type { Builder, SuppliedLibrary } from '@berth/builder';
import { createClusterBuilder, openKube } from '@berth/runtime-kubernetes';
import type { PartOptions } from '../context/part-options.ts';
import type { Machine } from '../machine/machine.ts';
import { buildNamespace, registryOptions } from '../machine/open-kubernetes-machine.ts';
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
  const variables = imageBuildVariables(environment, (name) =>
    logger.warn({ name }, 'builds do not get a variable with credentials; list it in --build-args to pass it'),
  );
  return createClusterBuilder({
    ...common,
    ...{ kube: openKube(), registry: registryOptions(config), clock, logger },
    policy: {
      platformId: config.kubePrefix,
      namespace: buildNamespace(config),
      image: config.builderImage as string,
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
