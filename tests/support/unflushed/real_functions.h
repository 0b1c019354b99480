/* The functions that ours stand before; REAL(result, name, parameters...) says
   what becomes of each. */
REAL(int, openat, int, const char*, int, ...);
REAL(int, close, int);
REAL(ssize_t, write, int, const void*, size_t);
REAL(ssize_t, writev, int, const struct iovec*, int);
REAL(ssize_t, pwrite, int, const void*, size_t, off_t);
REAL(ssize_t, pwritev, int, const struct iovec*, int, off_t);
REAL(int, ftruncate, int, off_t);
REAL(int, fallocate, int, int, off_t, off_t);
REAL(int, fsync, int);
REAL(int, fdatasync, int);
REAL(int, syncfs, int);
REAL(int, msync, void*, size_t, int);
REAL(void*, mmap, void*, size_t, int, int, int, off_t);
REAL(int, fstat, int, struct stat*);
REAL(int, fstatat, int, const char*, struct stat*, int);
REAL(int, renameat, int, const char*, int, const char*);
REAL(int, unlinkat, int, const char*, int);
REAL(ssize_t, sendfile, int, int, off_t*, size_t);
REAL(ssize_t, copy_file_range, int, off_t*, int, off_t*, size_t, unsigned);
