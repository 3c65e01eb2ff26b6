export { createFakeClock, type FakeClock } from '@berth/kit/testing';
export {
  ACCESS_CREDENTIALS,
  type AccessCredential,
  type AccessMatrixOptions,
  type AccessOperation,
  type AccessResult,
  type AccessSample,
  runAccessMatrix,
} from './access-matrix.ts';
export { createFakeBuilder, type FakeBuild, type FakeBuilder } from './fake-builder.ts';
export { createFakeGateway, type FakeActivation, type FakeGateway } from './fake-gateway.ts';
export { createFakeLogStore, type FakeLogStore } from './fake-log-store.ts';
export { createFakeObjectStore, type FakeObjectStore } from './fake-object-store.ts';
export {
  createFakeRuntime,
  type FakeInstance,
  type FakeProgram,
  type FakeRuntime,
  type FakeRuntimeOptions,
} from './fake-runtime.ts';
export { createRecordingLogger } from './recording-logger.ts';
export { TEST_CERTIFICATE } from './test-certificate.ts';
export { waitUntil } from './wait-until.ts';
