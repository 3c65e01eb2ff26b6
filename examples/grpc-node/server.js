import { setTimeout as sleep } from 'node:timers/promises';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { tides } from './tides.js';

const heightAt = (place, step) => ({ place, step, meters: Math.round(Math.sin(place.length + step / 3) * 300) / 100 });

const server = new Server();
server.addService(tides.Tides.service, {
  height({ request: { place } }, reply) {
    if (place === '') reply({ code: status.INVALID_ARGUMENT, details: 'name a place' });
    else reply(null, heightAt(place, 0));
  },
  async watch(call) {
    const { place, steps } = call.request;
    for (let step = 0; step < Math.min(steps, 100) && !call.cancelled; step++) {
      call.write(heightAt(place, step));
      await sleep(20);
    }
    call.end();
  },
});

// TLS ends at Berth; between it and this server there is none.
server.bindAsync(`0.0.0.0:${process.env.PORT ?? 8080}`, ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(`tides on ${port}`);
});
process.on('SIGTERM', () => server.tryShutdown(() => process.exit()));
