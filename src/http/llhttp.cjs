'use strict';
// CommonJS, and a function around it: as the default of an import, every one of its 50,000 bytes would be copied as a property.
module.exports = () => require('undici/lib/llhttp/llhttp-wasm.js');
