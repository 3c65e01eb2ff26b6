import { setWireMode } from '../../testing/wire-world.ts';

setWireMode('worker');
await import('../../proxy/exchange.wire.test.ts');
