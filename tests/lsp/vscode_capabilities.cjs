// node vscode_capabilities.cjs FOLDER: the capabilities that vscode-languageclient, installed in FOLDER, would send.
//
// The package needs the module `vscode`, which exists inside the editor only. Working out the capabilities asks it for
// nothing but names, so a module stands in for it in which every name is there and every call gives such a module again.
'use strict';

const Module = require('node:module');
const path = require('node:path');

function anything() {
    return new Proxy(function () {}, {
        get(target, name) {
            // A class may be derived from it, and it is neither a promise nor a list.
            if (name === 'prototype') { return target.prototype; }
            return typeof name === 'symbol' || name === 'then' ? undefined : anything();
        },
        apply: anything,
        construct: anything,
    });
}

const load = Module._load;
const editor = anything();
const standIn = new Proxy({}, { get: (_, name) => (name === 'version' ? '1.91.0' : editor[name]) });
Module._load = (request, ...rest) => (request === 'vscode' ? standIn : load(request, ...rest));

const main = path.resolve(process.argv[2], 'node_modules/vscode-languageclient/lib/node/main.js');
const { LanguageClient } = require(main);
const client = new LanguageClient('kernwright', 'Kernwright', { command: 'kernwright' }, { documentSelector: ['c'] });
console.log(JSON.stringify(client.computeClientCapabilities()));
