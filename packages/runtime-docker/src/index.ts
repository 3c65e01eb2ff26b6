export { type EngineAddress, parseEngineAddress } from './engine/engine-address.ts';
export { engineMessage, engineStatus, isEngineAway, translateEngineError } from './engine/engine-errors.ts';
export { type Engine, type EngineFacts, openEngine } from './engine/open-engine.ts';
