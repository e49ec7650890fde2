/** Classes of undici by their own paths: its index costs 38 ms at every start on Node 20. */
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';

  export default Pool;
}

declare module 'undici/lib/core/connect.js' {
  import type { Socket } from 'node:net';
  import type { buildConnector } from 'undici';

  type Callback = (...result: [error: null, socket: Socket] | [error: Error, socket: null]) => void;
  /** Unlike its published type it returns the socket at once, while that is still connecting. */
  const build: (
    options?: buildConnector.BuildOptions,
  ) => (options: buildConnector.Options, callback: Callback) => Socket;
  export default build;
}

/** The text of a file, which the build puts into the bundle. */
declare module '*?raw' {
  const text: string;
  export default text;
}
