import { createSystemClock } from '@berth/kit';
import { readUserIds } from '../identity/identity-store.ts';
import { reapLeftovers } from './reap-leftovers.ts';
import { openRunningRecords } from './running-record.ts';
import { isLastServer } from './server-token.ts';

/**
 * What the guardian does when the pipe that only the server held has come to its end: the server is no more, however it
 * died. Arguments: this file, the folder of the running records, the file of the users, the server's token and its file.
 */
const [recordFolder = '', identityFile = '', value = '', file = ''] = process.argv.slice(2);
if (isLastServer({ value, file })) {
  await reapLeftovers(
    {
      records: openRunningRecords(recordFolder),
      userIds: readUserIds(identityFile),
      // A server that comes back meanwhile runs programs as the same users.
      isMine: () => isLastServer({ value, file }),
    },
    createSystemClock(),
  );
}
