import { createSystemClock } from '@berth/kit';
import { readUserIds } from '../identity/identity-store.ts';
import { reapLeftovers } from './reap-leftovers.ts';
import { openRunningRecords } from './running-record.ts';

/**
 * What the guardian does when the pipe that only the server held has come to its end: the server is no more, however it
 * died. Arguments: this file, the folder of the running records, the file of the users.
 */
const [recordFolder = '', identityFile = ''] = process.argv.slice(2);
// A process in uninterruptible sleep is left to the next server.
await reapLeftovers(
  { records: openRunningRecords(recordFolder), userIds: readUserIds(identityFile) },
  createSystemClock(),
);
