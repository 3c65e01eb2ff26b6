import { createSystemClock } from '@berth/kit';
import { readUserIds } from '../identity/identity-store.ts';
import { reapLeftovers } from './reap-leftovers.ts';
import { openRunningRecords } from './running-record.ts';
import { isLastServer } from './server-token.ts';

/**
 * The guardian's program, which ends the programs of a dead server. It runs when the pipe that only the server held has closed. Arguments:
 * the folder of the running records, the file of the user ids, the server's token, and the file with the latest token.
 */
const [recordFolder = '', identityFile = '', value = '', file = ''] = process.argv.slice(2);
if (isLastServer({ value, file })) {
  await reapLeftovers(
    {
      records: openRunningRecords(recordFolder),
      userIds: readUserIds(identityFile),
      // A new server that starts meanwhile runs its programs as the same users.
      isMine: () => isLastServer({ value, file }),
    },
    createSystemClock(),
  );
}
