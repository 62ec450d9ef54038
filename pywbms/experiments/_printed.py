"""Values printed in the paper: its tables, and quotations where there is only a figure.

A test compares them with the paper's source, if available.
"""

#: The paper's names of the methods, in the order of its tables.
METHODS = (
    "kmeans_gap", "gmeans", "wgmeans", "dpmeans", "ewdp", "rcc", "mean_shift", "bms", "wbms",
)  # fmt: skip

#: Names of the real data sets as in the paper.
TITLES = {
    "glioma": "GLIOMA",
    "appendicitis": "Appendicitis",
    "zoo": "Zoo",
    "mammographic": "Mammographic",
    "yale": "Yale",
    "nci9": "nci9",
    "lymphoma": "Lymphoma",
    "movement_libras": "Movement Libras",
    "gcm": "GCM",
}

#: NMI of the methods, in the order of METHODS, in "Performance Analysis on Real Life Datasets".
NMI = {
    "glioma": (0.499, 0.522, 0.517, 0.576, 0.675, 0.113, 0.580, 0.546, 0.706),
    "appendicitis": (0.157, 0.165, 0.185, 0.158, 0.189, 0.193, 0.008, 0.195, 0.249),
    "zoo": (0.741, 0.801, 0.749, 0.611, 0.859, 0.557, 0.706, 0.841, 0.925),
    "mammographic": (0.231, 0.181, 0.240, 0.191, 0.273, 0.181, 0.181, 0.008, 0.348),
    "yale": (0.539, 0.417, 0.521, 0.324, 0.334, 0.268, 0.548, 0.222, 0.693),
    "nci9": (0.458, 0.394, 0.394, 0.181, 0.211, 0.143, 0.346, 0.394, 0.686),
    "lymphoma": (0.441, 0.592, 0.690, 0.518, 0.648, 0.243, 0.241, 0.595, 0.778),
    "movement_libras": (0.591, 0.231, 0.328, 0.333, 0.465, 0.639, 0.245, 0.503, 0.663),
    "gcm": (0.532, 0.484, 0.497, 0.025, 0.497, 0.637, 0.456, 0.649, 0.833),
}

#: ARI in the same table.
ARI = {
    "glioma": (0.328, 0.367, 0.373, 0.416, 0.598, 0.004, 0.429, 0.398, 0.618),
    "appendicitis": (0.230, 0.169, 0.188, 0.231, 0.188, 0.000, 0.014, 0.223, 0.434),
    "zoo": (0.459, 0.646, 0.559, 0.452, 0.872, 0.039, 0.436, 0.867, 0.953),
    "mammographic": (0.292, 0.209, 0.293, 0.257, 0.247, 0.001, 0.150, 0.001, 0.351),
    "yale": (0.271, 0.173, 0.227, 0.040, 0.061, 0.031, 0.069, 0.027, 0.485),
    "nci9": (0.187, 0.100, 0.100, 0.005, 0.018, 0.005, 0.011, 0.086, 0.419),
    "lymphoma": (0.269, 0.340, 0.463, 0.088, 0.431, 0.001, 0.000, 0.458, 0.604),
    "movement_libras": (0.309, 0.068, 0.123, 0.113, 0.217, 0.014, 0.090, 0.185, 0.532),
    "gcm": (0.288, 0.248, 0.266, 0.002, 0.266, 0.361, 0.413, 0.536, 0.714),
}

#: Seconds in "Runtime Analysis on Real Life Datasets".
SECONDS = {
    "glioma": (2.19, 21.57, 30.45, 17.48, 17.73, 23.60, 26.96, 20.97, 20.18),
    "appendicitis": (0.56, 3.50, 3.42, 5.64, 4.96, 4.65, 2.13, 1.36, 1.17),
    "zoo": (0.89, 2.81, 6.06, 2.70, 3.36, 4.29, 2.02, 1.36, 1.29),
    "mammographic": (2.78, 5.27, 5.78, 4.29, 5.61, 52.69, 103.98, 81.04, 86.21),
    "yale": (8.45, 16.06, 28.63, 25.67, 27.18, 37.50, 41.92, 189.98, 209.18),
    "nci9": (9.08, 17.25, 26.07, 29.19, 28.96, 63.79, 68.65, 53.48, 50.95),
    "lymphoma": (1.31, 25.01, 34.81, 33.42, 35.70, 64.34, 56.47, 47.80, 42.16),
    "movement_libras": (1.98, 17.41, 21.97, 18.09, 20.69, 43.28, 38.27, 22.80, 24.17),
    "gcm": (12.81, 80.67, 113.10, 153.74, 147.32, 90.56, 308.09, 340.61, 305.76),
}

#: (h, λ) in "Optimal Parameter Values for Real-Life Datasets"; it has no line for GCM.
PARAMETERS = {
    "glioma": (0.5, 1.0),
    "appendicitis": (1.0, 10.0),
    "zoo": (0.8, 20.0),
    "mammographic": (0.8, 10.0),
    "yale": (0.1, 10.0),
    "nci9": (0.1, 5.0),
    "lymphoma": (0.5, 5.0),
    "movement_libras": (0.1, 10.0),
}
#: For GCM the two ablation tables imply a pair: they give its ARI at h = 0.1 and at λ = 5.
GCM_PARAMETERS = (0.1, 5.0)

ABLATION_H = (0.1, 0.5, 0.8, 1.0)
#: ARI at each h of ABLATION_H, with the best λ.
ARI_OVER_H = {
    "glioma": (0.587, 0.618, 0.618, 0.524),
    "appendicitis": (0.218, 0.324, 0.401, 0.434),
    "zoo": (0.953, 0.912, 0.754, 0.754),
    "mammographic": (0.212, 0.295, 0.351, 0.320),
    "yale": (0.485, 0.414, 0.234, 0.001),
    "nci9": (0.419, 0.419, 0.340, 0.108),
    "lymphoma": (0.589, 0.604, 0.544, 0.330),
    "movement_libras": (0.532, 0.414, 0.021, 0.001),
    "gcm": (0.714, 0.531, 0.531, 0.562),
}

ABLATION_LAM = (1.0, 5.0, 10.0, 20.0)
#: ARI at each λ of ABLATION_LAM, with the best h.
ARI_OVER_LAM = {
    "glioma": (0.618, 0.618, 0.618, 0.510),
    "appendicitis": (0.257, 0.352, 0.434, 0.398),
    "zoo": (0.717, 0.717, 0.906, 0.953),
    "mammographic": (0.198, 0.202, 0.351, 0.351),
    "yale": (0.055, 0.414, 0.485, 0.423),
    "nci9": (0.210, 0.419, 0.419, 0.378),
    "lymphoma": (0.167, 0.604, 0.503, 0.503),
    "movement_libras": (0.251, 0.376, 0.532, 0.532),
    "gcm": (0.510, 0.714, 0.714, 0.714),
}

#: What the text says about figures for which it gives no numbers.
CLAIMS = {
    "motivating": (
        "WBMS correctly identifies the two true cluster centroids and efficiently selects the "
        "relevant features, while the BMS fails to do so."
    ),
    "simulation1": (
        "WBMS consistently outperforms the other peer algorithms not only in terms of clustering "
        "performance but also in finding the true number of clusters."
    ),
    "simulation2": (
        "not only the WBMS algorithm performs best in terms of NMI and ARI values, it also "
        "estimates the number of clusters perfectly."
    ),
    "simulation3": (
        "The proposed WBMS successfully assigns almost all weights to informative features 1 and "
        "2, even in this low signal-to-noise-ratio situation. Meanwhile, its peers WG-means and "
        "EWDP fail to do so."
    ),
    "glioma": "WBMS closely represents the ground truth compared to its competitors.",
    "real-data": (
        "the superior performance of WBMS on each of the nine real data benchmarks."
    ),
    "sensitivity": (
        "the WBMS is able to recover the perfect clustering (colored in yellow) over a "
        "considerable range of the hyper-parameter values."
    ),
    "noise-features": "WBMS performs a perfect clustering on these datasets.",
}  # fmt: skip

#: The range of h and λ that the text recommends, and the h of the motivating example.
RANGE_H = (0.1, 1.0)
RANGE_LAM = (1.0, 20.0)
MOTIVATING_H = 0.1


def of_method(table, name, method):
    """Return the printed value of a table for a data set and a method.

    Examples
    --------
    >>> of_method(ARI, "zoo", "wbms")
    0.953
    """
    return table[name][METHODS.index(method)]


def parameters(name):
    """Return the paper's (h, λ) for a real data set.

    Examples
    --------
    >>> parameters("zoo")
    (0.8, 20.0)
    """
    return PARAMETERS.get(name, GCM_PARAMETERS)
