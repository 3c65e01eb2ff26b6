import { setWireMode } from '../../testing/wire-world.ts';

setWireMode('worker');
await import('../../proxy/exchange-endings.wire.test.ts');
