// node client.js [HOST:PORT] [AUTHORITY]: asks for a height, then watches five.
import { credentials } from '@grpc/grpc-js';
import { tides } from './tides.js';

const [target = 'localhost:8787', authority = `grpc-node.${target}`] = process.argv.slice(2);
const client = new tides.Tides(target, credentials.createInsecure(), { 'grpc.default_authority': authority });

client.height({ place: 'Dover' }, (error, reply) => {
  if (error) throw error;
  console.log(JSON.stringify(reply));
  client
    .watch({ place: 'Dover', steps: 5 })
    .on('data', (each) => console.log(JSON.stringify(each)))
    .on('error', (failure) => {
      throw failure;
    })
    .on('end', () => client.close());
});
