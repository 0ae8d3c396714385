// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Openings} from "../../src/Openings.sol";
import {RewardVotes} from "../../src/RewardVotes.sol";
import {RolloutCommitments} from "../../src/RolloutCommitments.sol";
import {Stakes} from "../../src/Stakes.sol";
import {IStakes} from "../../src/interfaces/IStakes.sol";
import {SwarmFixture} from "../SwarmFixture.sol";
import {TestToken} from "../market/MarketDoubles.sol";
import {ProposersHandler} from "./ProposersHandler.sol";

/// @dev The numbers are those of INVARIANTS.md.
contract ProposersInvariants is SwarmFixture {
    ProposersHandler internal handler;
    TestToken internal token;
    uint256 internal firstSupply;

    /// @dev With its own token: nobody has earned Nectar yet.
    function setUp() public override {
        super.setUp();
        token = new TestToken();
        stakes = new Stakes(registry, rounds, bootstrapRounds());
        commitments = new RolloutCommitments(registry, rounds, stakes);
        votes = new RewardVotes(address(this), registry, rounds, commitments, stakes);
        openings = new Openings(votes);
        stakes.wire(address(token), address(votes), address(0), address(openings));
        bytes32[] memory peers = new bytes32[](3);
        for (uint256 i = 0; i < 3; ++i) {
            address account = accountNamed(i);
            peers[i] = enrol(1 + i, account);
            token.mint(account, 400 ether);
            vm.prank(account);
            token.approve(address(stakes), type(uint256).max);
        }
        firstSupply = token.totalSupply();
        handler = new ProposersHandler(
            ProposersHandler.Parts(registry, rounds, commitments, openings, stakes, token, bootstrapRounds()),
            peers
        );
        targetContract(address(handler));
    }

    /// @dev The invariants say little if the handler never gets as far as a fault, or a stake that leaves.
    function test_TheHandlerReachesFaultsAndWithdrawals() public {
        for (uint256 i = 0; i < 150; ++i) {
            handler.operate(i);
            handler.step(i);
            handler.step(i);
            for (uint256 j = 0; j < 3; ++j) handler.challenge(j);
            handler.pass(i);
        }
        vm.assertLe(100, handler.proposals());
        vm.assertLe(10, handler.fines());
        vm.assertLe(3, handler.withdrawals());
        vm.assertLe(100, handler.refused());
    }

    function invariant_T1_ASecretIsKeptWhereTheStakeCoversItsRoundWhenItIsCommittedTo() public view {
        vm.assertEq(handler.wrongSecrets(), 0);
        uint64 current = rounds.currentRound();
        for (uint256 i = 0; i < handler.peerCount(); ++i) {
            bytes32 peer = handler.peers(i);
            for (uint64 round = current < 5 ? 0 : current - 5; round <= current + 2; ++round) {
                (bool isKept, ) = commitments.secretOf(round, peer);
                vm.assertTrue(isKept == handler.isKept(round, peer));
            }
        }
    }

    function invariant_T2_AProposerIsFinedForWhatItOwedAloneOnceAndWhateverItDoesWithItsStake() public view {
        vm.assertEq(handler.wrongFines(), 0);
        uint256 sum = 0;
        for (uint256 i = 0; i < handler.peerCount(); ++i) {
            bytes32 peer = handler.peers(i);
            vm.assertEq(stakes.stakeOf(IStakes.Duty.Proposer, peer).amountWei, handler.stakedWei(peer));
            sum += handler.stakedWei(peer);
        }
        vm.assertEq(token.balanceOf(address(stakes)), sum);
        vm.assertEq(token.totalSupply(), firstSupply - handler.burntWei());
    }

    function invariant_T3_WhoDoesWhatANodeDoesIsNeverFined() public view {
        vm.assertEq(handler.honestFines(), 0);
    }

    function invariant_T4_NoStakeLeavesBeforeItsFaultsAreKnownOrStaysForEver() public view {
        vm.assertEq(handler.wrongStakes(), 0);
        vm.assertEq(handler.escaped(), 0);
        vm.assertEq(handler.locked(), 0);
        for (uint256 i = 0; i < handler.peerCount(); ++i) {
            IStakes.Stake memory held = stakes.stakeOf(IStakes.Duty.Proposer, handler.peers(i));
            vm.assertLe(held.freeFromRound, uint256(rounds.currentRound()) + 13);
        }
    }

    function bootstrapRounds() internal pure override returns (uint64 round) {
        return 4;
    }
}
