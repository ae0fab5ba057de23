// A reporter for node's runner, beside its own: why a file of tests ended, where that was not for a test. Its own says 'test failed' of a
// process that was killed or left by exit(1), and takes one that was left by exit(0) before its first test for a test that passed.
import path from 'node:path';

function endOf({ exitCode, signal }) {
  if (signal) return `was ended by ${signal}${signal === 'SIGKILL' ? ', as the system does for want of memory' : ''}`;
  return `ended with status ${exitCode}, and no test of it failed`;
}

export default async function* ends(events) {
  for await (const { type, data } of events) {
    const isFile = data?.file !== undefined && path.resolve(data.name ?? '') === data.file;
    if (!isFile) continue;
    const name = path.relative('', data.file), error = data.details?.error;
    if (type === 'test:fail' && error?.failureType === 'testCodeFailure') yield `${name} ${endOf(error)}\n`;
    if (type !== 'test:pass') continue;
    process.exitCode = 1;
    yield `${name} ended before it had run a test\n`;
  }
}
