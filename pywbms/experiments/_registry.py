"""All experiments by name, in the order of the paper."""

from pywbms.experiments import (
    ablation_h,
    ablation_lam,
    glioma,
    motivating,
    real_data,
    run_times,
    sensitivity,
    simulation1,
    simulation2,
    simulation3,
    two_moons,
    varied_densities,
)

EXPERIMENTS = {
    module.EXPERIMENT.name: module.EXPERIMENT
    for module in (
        motivating, simulation1, simulation2, simulation3, glioma, real_data, run_times,
        ablation_h, ablation_lam, sensitivity, two_moons, varied_densities,
    )
}  # fmt: skip
