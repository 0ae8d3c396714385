// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRoundBeacons} from "./interfaces/IRoundBeacons.sol";
import {BlockHashes} from "./libraries/BlockHashes.sol";

/// @title RoundBeacons
/// @notice The part of `Rounds` that draws the beacons.
abstract contract RoundBeacons is IRoundBeacons {
    /// @inheritdoc IRoundBeacons
    /// @dev More would not help: whoever makes the beacon's block decides over it, whichever block that is.
    uint256 public constant BEACON_DELAY_BLOCKS = 1;

    mapping(uint64 round => uint256 blockNumber) internal _beaconBlocks;
    mapping(uint64 round => bytes32 beacon) internal _beacons;

    /// @inheritdoc IRoundBeacons
    function fixBeacon(uint64 round) external {
        _requireBeaconDue(round);
        if (_beaconBlocks[round] != 0) return;
        uint256 blockNumber = block.number + BEACON_DELAY_BLOCKS;
        _beaconBlocks[round] = blockNumber;
        emit BeaconFixed(round, blockNumber);
    }

    /// @inheritdoc IRoundBeacons
    function drawBeacon(uint64 round) external returns (bytes32 beacon) {
        beacon = _beacons[round];
        if (beacon != 0) return beacon;
        _requireBeaconDue(round);
        uint256 blockNumber = _beaconBlocks[round];
        if (blockNumber == 0) revert Rounds_BeaconNotFixed(round);
        if (block.number <= blockNumber) revert Rounds_BeaconNotReady(round, blockNumber, block.number);
        beacon = BlockHashes.hashOf(blockNumber);
        if (beacon == 0) revert Rounds_BeaconMissed(round, blockNumber);
        _beacons[round] = beacon;
        emit BeaconDrawn(round, beacon);
    }

    /// @inheritdoc IRoundBeacons
    function beaconOf(uint64 round) external view returns (bytes32 beacon) {
        return _beacons[round];
    }

    /// @inheritdoc IRoundBeacons
    function beaconStateOf(uint64 round) external view returns (BeaconState state, uint256 blockNumber) {
        blockNumber = _beaconBlocks[round];
        if (_beacons[round] != 0) return (BeaconState.Drawn, blockNumber);
        if (_firstOpenRound() > uint256(round) + 2) return (BeaconState.Void, blockNumber);
        if (blockNumber == 0) return (BeaconState.None, 0);
        bool isGone = block.number > blockNumber && BlockHashes.hashOf(blockNumber) == 0;
        return (isGone ? BeaconState.Void : BeaconState.Fixed, blockNumber);
    }

    /// @dev 0 before round 0 begins, else the current round + 1.
    function _firstOpenRound() internal view virtual returns (uint64 round);

    function _requireBeaconDue(uint64 round) internal view {
        uint64 open = _firstOpenRound();
        if (open != uint256(round) + 2) revert Rounds_BeaconNotDue(round, open == 0 ? 0 : open - 1);
    }
}
