import { setWireMode } from '../../testing/wire-world.ts';

setWireMode('worker');
await import('../../proxy/open-tunnel.wire.test.ts');
