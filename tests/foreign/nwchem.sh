# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# NWChem: quantum chemistry on Global Arrays, which use the one-sided communication of
# MPI-3. The program is that of Debian's package, which was linked with Debian's MPICH.

# energy PATTERN FILE: print the last energy in a line that matches the pattern
energy()
{
    awk -v pattern="$1" '$0 ~ pattern { value = $NF } END { print value }' "$2"
}

# Compute the energy of a water molecule with three methods on 1 and 4 ranks, and compare
# the energies.
nwchem()
{
    local method
    not_for_abi 'the program was built for the ABI of MPICH'
    unpack_binary bookworm libscalapack-mpich2.2 2.2.1-2+b1 \
        libscalapack-mpich2.2_2.2.1-2+b1_amd64.deb \
        30cc1a29ca8266164b0d787aa959f85ed88f0a44fc34ab7663ab5dfb1dd42f82
    unpack_binary bookworm nwchem-data 7.0.2-4 nwchem-data_7.0.2-4_all.deb \
        2f64cf115fe1aff48becdee51ba9a0e463da220049ce59478e46a55eef534ec5
    unpack_binary bookworm nwchem-mpich 7.0.2-4 nwchem-mpich_7.0.2-4_amd64.deb \
        5cc31e1bddde8e15ce576f7748c1f1c3b08a0e6d3c0c335f9821c1d79a1492f7
    export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$PWD/usr/lib/x86_64-linux-gnu"
    export NWCHEM_BASIS_LIBRARY=$PWD/usr/share/nwchem/libraries/ OPENBLAS_NUM_THREADS=1
    need_libraries usr/bin/nwchem.mpich
    cat > water.nw << 'END'
start water
geometry units angstroms
 O 0.0000  0.0000  0.1173
 H 0.0000  0.7572 -0.4692
 H 0.0000 -0.7572 -0.4692
end
basis
 * library 6-31g*
end
scf
 thresh 1e-8
end
dft
 xc b3lyp
end
task scf gradient
task mp2 energy
task dft energy
END
    simulated alone.out 1 usr/bin/nwchem.mpich water.nw
    job out 4 usr/bin/nwchem.mpich water.nw
    for method in 'Total SCF energy' 'Total MP2 energy' 'Total DFT energy'; do
        # the program prints 12 digits; the sums of 1 and 4 ranks have different rounding errors
        awk -v a="$(energy "$method" alone.out)" -v b="$(energy "$method" out)" \
            'BEGIN { exit !(a < -70 && a - b < 1e-8 && b - a < 1e-8) }' ||
            die "nwchem: $method differs (logs: $PWD/alone.out, $PWD/out)"
    done
    printf 'a water molecule: SCF %s, MP2 %s, DFT %s hartree on 4 ranks' \
        "$(energy 'Total SCF energy' out)" "$(energy 'Total MP2 energy' out)" \
        "$(energy 'Total DFT energy' out)"
}
