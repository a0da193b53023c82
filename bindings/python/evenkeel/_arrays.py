"""Where the values of an array are: of NumPy, with DLPack, or with __cuda_array_interface__."""

import ctypes as c
import sys

import numpy as np

HOST, DEVICE, SHARED = range(3)
# By the numbers of DLPack: CPU, CUDA, host of CUDA, ROCm, host of ROCm, managed by CUDA.
_kinds = {1: HOST, 2: DEVICE, 3: HOST, 10: DEVICE, 11: HOST, 13: SHARED}
_letters = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}  # those of NumPy; other types are bytes


def _packed(shape):
    return np.cumprod((1,) + tuple(shape[:0:-1]))[::-1]


class Memory:
    """An array as an address. cupy.asarray and torch.as_tensor take it if it is on a device, and
    numpy.asarray if it is on the host. `strides` count elements, and are None if it is packed."""

    def __init__(self, data, kind, dtype, shape, strides=None, is_read_only=False, owner=None):
        self.data, self.kind, self.dtype = data or 0, kind, np.dtype(dtype)
        self.shape, self.is_read_only, self.owner = tuple(shape), is_read_only, owner
        is_packed = strides is None or 0 in self.shape or all(
            n == 1 or s == p for n, s, p in zip(self.shape, strides, _packed(self.shape)))
        self.strides = None if is_packed else tuple(strides)
        size = self.dtype.itemsize
        interface = {"version": 3, "data": (self.data, is_read_only), "shape": self.shape,
                     "typestr": self.dtype.str,
                     "strides": None if is_packed else tuple(s * size for s in strides)}
        if kind != DEVICE:
            self.__array_interface__ = interface
        if kind != HOST:
            self.__cuda_array_interface__ = interface

    def field_strides(self, name):
        """The strides of objects and of their values; 0 and 0 if all are adjacent."""
        if self.strides is None:
            return 0, 0
        inner = [(n, s) for n, s in zip(self.shape[1:], self.strides[1:]) if n != 1]
        first = self.strides[0] if self.shape[0] != 1 else 1
        component = inner[-1][1] if inner else 1
        even = component * _packed([n for n, _ in inner])
        if first < 1 or component < 1 or any(s != e for (_, s), e in zip(inner, even)):
            raise ValueError(f"The values of '{name}' are not at even distances. Give a contiguous "
                             "copy.")
        return first, component


class _Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device", c.c_int32), ("device_id", c.c_int32),
                ("ndim", c.c_int32), ("code", c.c_uint8), ("bits", c.c_uint8),
                ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)),
                ("strides", c.POINTER(c.c_int64)), ("byte_offset", c.c_uint64)]


class _Versioned(c.Structure):
    _fields_ = [("major", c.c_uint32), ("minor", c.c_uint32), ("context", c.c_void_p),
                ("deleter", c.c_void_p), ("flags", c.c_uint64), ("tensor", _Tensor)]


_is_capsule = c.pythonapi.PyCapsule_IsValid
_is_capsule.argtypes = [c.py_object, c.c_char_p]
_address = c.pythonapi.PyCapsule_GetPointer
_address.argtypes, _address.restype = [c.py_object, c.c_char_p], c.c_void_p


def _capsule_of(array, name):
    try:
        try:
            return array.__dlpack__(max_version=(1, 0), copy=False)
        except TypeError:  # a library from before version 1
            return array.__dlpack__()
    except Exception as error:
        raise ValueError(f"'{name}' cannot be given by DLPack: {error}") from error


def _of_dlpack(array, name):
    capsule, is_read_only = _capsule_of(array, name), False
    if _is_capsule(capsule, b"dltensor_versioned"):
        given = _Versioned.from_address(_address(capsule, b"dltensor_versioned"))
        if given.major > 1:
            raise ValueError(f"'{name}' is given by version {given.major} of DLPack, and evenkeel "
                             "knows version 1.")
        tensor, is_read_only = given.tensor, given.flags & 1 != 0
    else:
        tensor = _Tensor.from_address(_address(capsule, b"dltensor"))
    if tensor.device not in _kinds:
        raise ValueError(f"'{name}' is on a device of the DLPack kind {tensor.device}. Give memory "
                         "of the host, of CUDA or of ROCm.")
    bits = tensor.bits * tensor.lanes
    if bits == 0 or bits % 8 != 0:
        raise ValueError(f"The elements of '{name}' have {bits} bits. Give elements of whole "
                         "bytes.")
    try:
        dtype = np.dtype(f"{_letters[tensor.code if tensor.lanes == 1 else None]}{bits // 8}")
    except (KeyError, TypeError):  # such as bfloat16
        dtype = np.dtype(f"V{bits // 8}")
    # A capsule that is not consumed keeps its array alive.
    return Memory((tensor.data or 0) + tensor.byte_offset, _kinds[tensor.device], dtype,
                  tensor.shape[:tensor.ndim],
                  tensor.strides[:tensor.ndim] if tensor.strides else None, is_read_only, capsule)


def _of_cuda(array):
    given = array.__cuda_array_interface__
    dtype, strides = np.dtype(given["typestr"]), given.get("strides")
    return Memory(given["data"][0], DEVICE, dtype, given["shape"],
                  strides and [s // dtype.itemsize for s in strides], given["data"][1], array)


def maker_of(array):
    """A function that makes an array of the same library and type in a shape, or None."""
    if isinstance(array, np.ndarray):
        return lambda shape: np.empty(shape, array.dtype)
    if hasattr(array, "new_empty"):  # PyTorch
        return array.new_empty
    empty = getattr(sys.modules[type(array).__module__.partition(".")[0]], "empty", None)
    if empty is None or type(empty((0,), dtype=array.dtype)) is not type(array):
        return None
    return lambda shape: empty(shape, dtype=array.dtype)  # CuPy


def look_at(array, name):
    """The array that a field has, its Memory, and whether it is a copy. An array on the host whose
    library cannot make arrays becomes one of NumPy."""
    at = None
    if not isinstance(array, np.ndarray):
        if hasattr(array, "__dlpack__"):
            at = _of_dlpack(array, name)
        elif hasattr(array, "__cuda_array_interface__"):
            at = _of_cuda(array)
    if at is not None and len(at.shape) > 0 and (at.kind != HOST or maker_of(array)):
        return array, at, False
    given = array if at is None else np.asarray(at)
    array = np.asarray(given)
    if array.ndim == 0:
        raise ValueError(f"'{name}' is no array.")
    if array.dtype.hasobject:
        raise ValueError(f"'{name}' has elements that are objects of Python. Give numbers.")
    is_copy = not (isinstance(given, np.ndarray) and array.flags.c_contiguous
                   and array.dtype.isnative)
    array = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
    return array, Memory(array.ctypes.data, HOST, array.dtype, array.shape,
                         is_read_only=not array.flags.writeable), is_copy
