import { setWireMode } from '../../testing/wire-world.ts';

setWireMode('worker');
await import('../../proxy/timeout-grant.test.ts');
