// npm run test:interop [-- server…]: installs the authorization servers of test/interop and tests svc with them.
import { run, setup } from './setup.mjs';

setup();
const install = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', 'test/interop'];
if (run('npm', install) !== 0) process.exit(1);
process.exit(run(process.execPath, ['test/interop/run.mjs', ...process.argv.slice(2)]));
