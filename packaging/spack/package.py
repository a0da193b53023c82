from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *


class Evenkeel(CMakePackage, CudaPackage, ROCmPackage):
    """Dynamic load balancing for MPI + GPU simulations."""

    license("BSD-3-Clause")

    # There is no address yet. `spack develop --path <checkout> evenkeel@0.1.0` names the sources.
    version("0.1.0")

    variant("shared", default=True, description="Build shared libraries")
    variant("mpi", default=True, description="Use MPI")
    variant("fortran", default=True, when="+mpi", description="Build the Fortran module")
    variant("kernels", default=False, description="Use Kokkos Kernels")
    variant("tools", default=True, description="Build the program evenkeel")
    variant("python", default=False, when="+shared+mpi", description="Install the Python package")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    generator("ninja")

    depends_on("kokkos@3.4:5.2")
    depends_on("kokkos@4.3:", when="+cuda")
    depends_on("kokkos@4.3:", when="+rocm")
    depends_on("kokkos+shared", when="+shared")
    requires("^kokkos+cuda_lambda", when="+cuda ^kokkos@:4")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos+cuda+wrapper cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
    for arch in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos+rocm amdgpu_target={arch}", when=f"+rocm amdgpu_target={arch}")
    conflicts("cuda_arch=none", when="+cuda")
    conflicts("amdgpu_target=none", when="+rocm")

    depends_on("mpi", when="+mpi")
    depends_on("eigen@3.4:", type="build")
    depends_on("spdlog@1.10:")
    depends_on("spdlog+shared", when="+shared")
    depends_on("kokkos-kernels@3.4:", type="build", when="+kernels")
    depends_on("cli11", type="build", when="+tools")
    depends_on("nlohmann-json", type="build", when="+tools")
    depends_on("googletest", type="test")

    extends("python", when="+python")
    depends_on("python@3.9:", type=("build", "run"), when="+python")
    depends_on("py-numpy", type=("build", "run"), when="+python")
    depends_on("py-mpi4py", type=("build", "run"), when="+python")

    # Compilers before these do not know enough of C++20.
    conflicts("%gcc@:11")
    conflicts("%llvm@:13")

    def cmake_args(self):
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("EVENKEEL_ENABLE_MPI", "mpi"),
            self.define_from_variant("EVENKEEL_ENABLE_KOKKOS_KERNELS", "kernels"),
            self.define_from_variant("EVENKEEL_BUILD_TOOLS", "tools"),
            self.define("EVENKEEL_FORTRAN", self.spec.satisfies("+fortran")),
            self.define("EVENKEEL_BUILD_TESTS", self.run_tests),
            self.define("EVENKEEL_BUILD_EXAMPLES", False),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        if self.spec.satisfies("+rocm"):
            args.append(self.define("CMAKE_CXX_COMPILER", self.spec["hip"].hipcc))
        return args

    @run_after("install", when="+python")
    def install_python_package(self):
        install_tree("bindings/python/evenkeel", join_path(python_platlib, "evenkeel"))

    def setup_run_environment(self, env):
        if self.spec.satisfies("+python"):
            library = find_libraries("libevenkeel_c", root=self.prefix, recursive=True)
            env.set("EVENKEEL_LIB", library.directories[0])

    def test_info(self):
        """evenkeel info prints how the library was built"""
        if self.spec.satisfies("~tools"):
            raise SkipTest("the program evenkeel was not built")
        evenkeel = which(self.prefix.bin.evenkeel, required=True)
        assert f"evenkeel        {self.version}" in evenkeel("info", output=str.split)
