import { createSystemClock } from '@berth/kit';
import { readUserIds } from '../identity/identity-store.ts';
import { reapLeftovers } from './reap-leftovers.ts';
import { openRunningRecords } from './running-record.ts';

/**
 * The guardian: a process beside the server that outlives it by a moment. Its stdin is a pipe that only the server holds;
 * the end of it means that the server is no more, however it died. Arguments: the folder of the running records, the file
 * of the users.
 */
const [recordFolder = '', identityFile = ''] = process.argv.slice(2);
process.stdin.resume();
process.stdin.once('close', () => {
  // A process in uninterruptible sleep is left to the next server.
  void reapLeftovers(
    { records: openRunningRecords(recordFolder), userIds: readUserIds(identityFile) },
    createSystemClock(),
  );
});
