export { createImageBuilder } from './build/create-image-builder.ts';
export type { ImageBuilderOptions } from './build/image-builder-options.ts';
export { type EngineAddress, parseEngineAddress } from './engine/engine-address.ts';
export { engineMessage, engineStatus, isEngineAway, translateEngineError } from './engine/engine-errors.ts';
export { type Engine, type EngineFacts, openEngine } from './engine/open-engine.ts';
export { type AddressPool, parseAddressPool } from './network/address-pool.ts';
export { createNetworks, type Networks, type NetworksOptions } from './network/networks.ts';
export { type ContainerNetworks, type OpenNetworksOptions, openNetworks } from './network/open-networks.ts';
export { createDockerRuntime, type DockerRuntimeOptions } from './run/create-docker-runtime.ts';
