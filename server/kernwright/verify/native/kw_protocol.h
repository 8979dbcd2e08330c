/* How a translation unit is called by whoever loads it as a shared library.

   verify/thunk.py appends three functions to the text of the unit, so that static functions, namespaces and templates
   are reachable. They are the only symbols with default visibility that kernwright itself adds.

   An argument slot is one of: a parameter of the kernel, in order; then a file-scope array named under `globals` of the
   contract; then, where the contract has a `return`, the storage of the returned value. arguments[i] points to the
   value of a scalar, or to the first element of an array. extents[2 * i] is the first dimension of slot i,
   extents[2 * i + 1] the product of its other dimensions; both are 1 for a scalar.

     state = kw_prepare(arguments, extents);   builds what a plain pointer can't be: containers, tables of rows; copies
                                               globals in; calls the contract's `setup` the first time
     kw_call(state);                           one call of the kernel; may be repeated
     kw_finish(state, arguments);              copies containers and globals back to the arguments, frees the state

   For plain pointers, prepare keeps the pointers and finish copies nothing: the kernel works on the arguments. */
#ifndef KW_PROTOCOL_H
#define KW_PROTOCOL_H

#include <stddef.h>

typedef void *kw_prepare_function(void *const *arguments, const size_t *extents);
typedef void kw_call_function(void *state);
typedef void kw_finish_function(void *state, void *const *arguments);

#define KW_PREPARE "kw_prepare"
#define KW_CALL "kw_call"
#define KW_FINISH "kw_finish"

#endif
