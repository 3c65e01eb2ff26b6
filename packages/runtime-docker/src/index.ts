export { createImageBuilder } from './build/create-image-builder.ts';
export type { ImageBuilderOptions } from './build/image-builder-options.ts';
export { hasImage, type PushTarget, pushImage } from './build/push-image.ts';
export { engineMessage, engineStatus, isEngineAway, translateEngineError } from './engine/engine-errors.ts';
export {
  type Engine,
  type EngineAddress,
  type EngineFacts,
  openEngine,
  parseEngineAddress,
} from './engine/open-engine.ts';
export { type AddressPool, parseAddressPool } from './network/address-pool.ts';
export { type ContainerNetworks, createNetworks, type OpenNetworksOptions, openNetworks } from './network/networks.ts';
export { createDockerRuntime, type DockerRuntimeOptions } from './run/create-docker-runtime.ts';
