import { setWireMode } from '../../testing/wire-world.ts';

setWireMode('worker');
await import('../../front/create-front-server.wire.test.ts');
