import { describeRuntime } from '@berth/runtime/contract';
import { createDockerHarness } from './testing/docker-harness.ts';
import { findTestEngine, skipWithoutEngine } from './testing/test-engine.ts';

const engine = await findTestEngine();
if (engine) describeRuntime('docker', { create: () => createDockerHarness(engine) });
else skipWithoutEngine('runtime: docker');
