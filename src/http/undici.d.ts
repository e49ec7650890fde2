/** The modules of undici that are used, by their own paths: its index costs 70 ms to load. */
declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici';

  const ServicePool: typeof Pool;
  export default ServicePool;
}

declare module 'undici/lib/core/connect.js' {
  import type { Socket } from 'node:net';
  import type { buildConnector } from 'undici';

  /** Unlike its published type it returns the socket at once, while that is still connecting. */
  const build: (
    options?: buildConnector.BuildOptions,
  ) => (options: buildConnector.Options, callback: buildConnector.Callback) => Socket;
  export default build;
}

declare module 'undici/lib/core/errors.js' {
  import { errors } from 'undici';

  export = errors;
}

declare module '*/llhttp.cjs' {
  /** The bytes of undici's parser. */
  const program: () => Uint8Array<ArrayBuffer>;
  export default program;
}

/** As much of it as is used; the types of Node.js have none. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: object);
    readonly exports: unknown;
  }
}
