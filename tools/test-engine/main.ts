// A Docker engine for tests, on a socket and a folder of its own. `node tools/test-engine/main.ts start|stop|remove [FOLDER]`.
import { tmpdir } from 'node:os';
import path from 'node:path';
import { engineAddress, startEngine, stopEngine } from './engine.ts';

const [action, folder = path.join(tmpdir(), 'berth-docker')] = process.argv.slice(2);
switch (action) {
  case 'start':
    await startEngine(folder);
    console.log(`export BERTH_TEST_ENGINE=${engineAddress(folder)}`);
    break;
  case 'stop':
  case 'remove':
    await stopEngine(folder, { isForGood: action === 'remove' });
    break;
  default:
    console.error('usage: node tools/test-engine/main.ts start|stop|remove [FOLDER]');
    process.exitCode = 2;
}
