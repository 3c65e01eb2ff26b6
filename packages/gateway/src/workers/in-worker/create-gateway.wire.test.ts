import { setWireMode } from '../../testing/wire-world.ts';

setWireMode('worker');
await import('../../create-gateway.wire.test.ts');
